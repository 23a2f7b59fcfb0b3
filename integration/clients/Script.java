import java.io.*;
import java.math.BigDecimal;
import java.sql.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.copy.*;

/** What people do with JDBC. */
public class Script {
    interface Body { void run() throws Exception; }

    static String url;

    static Connection connect() throws SQLException {
        Properties p = new Properties();
        p.setProperty("user", "dba");
        p.setProperty("password", "dba");
        p.setProperty("ApplicationName", "jdbc");
        p.setProperty("options", "-c work_mem=5MB -c statement_timeout=90s");
        return DriverManager.getConnection(url, p);
    }

    static void expect(String state, Body body) throws Exception {
        try {
            body.run();
        } catch (SQLException e) {
            if (state.equals(e.getSQLState())) return;
            throw e;
        }
        throw new Exception("no " + state);
    }

    static void check(boolean ok, String what) throws Exception {
        if (!ok) throw new Exception(what);
    }

    static int drain(ResultSet rs) throws SQLException {
        int n = 0;
        while (rs.next()) n++;
        rs.close();
        return n;
    }

    public static void main(String[] args) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        url = "jdbc:postgresql://" + args[0] + ":" + args[1] + "/acme";
        try (Connection c = connect(); Statement s = c.createStatement()) {
            types(c, s);
            prepared(c);
            pieces(c, s);
            copies(c);
            errors(c, s);
            texts(c, s);
            large(c, s);
            notifications(c, s);
            metadata(c);
            cancelled(s);
        }
        System.out.println("done");
    }

    static void types(Connection c, Statement s) throws Exception {
        s.execute("truncate things");
        try (PreparedStatement p = c.prepareStatement("insert into things values (?, ?, ?, ?, ?, ?, ?::jsonb, ?, ?, ?)")) {
            p.setInt(1, 1);
            p.setString(2, "naïve 'quote' \\ 🙂");
            p.setBigDecimal(3, new BigDecimal("12.50"));
            p.setTimestamp(4, new Timestamp(1582977600000L));
            p.setBytes(5, new byte[] {0, 1, (byte) 255});
            p.setArray(6, c.createArrayOf("text", new String[] {"a", null, "c,d"}));
            p.setString(7, "{\"k\": [1, null]}");
            p.setBoolean(8, true);
            p.setLong(9, 1L << 62);
            p.setDouble(10, 0.1);
            check(p.executeUpdate() == 1, "insert");
        }
        try (ResultSet rs = s.executeQuery("select * from things")) {
            check(rs.next() && rs.getLong(9) == 1L << 62 && rs.getBytes(5).length == 3, "types");
        }
        try (PreparedStatement p = c.prepareStatement("insert into things (id, name) values (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            for (int n = 2; n < 60; n++) {
                p.setInt(1, n);
                p.setString(2, "n" + n);
                p.addBatch();
            }
            check(p.executeBatch().length == 58, "batch");
        }
    }

    // Repeated until the driver names the statement and asks for binary results.
    static void prepared(Connection c) throws Exception {
        try (PreparedStatement p = c.prepareStatement("select id, name, big, ratio, at from things where id = ?")) {
            for (int n = 1; n < 10; n++) {
                p.setInt(1, n);
                check(drain(p.executeQuery()) == 1, "prepared");
            }
        }
    }

    static void pieces(Connection c, Statement s) throws Exception {
        c.setAutoCommit(false);
        try (PreparedStatement p = c.prepareStatement("select id, name from things where id > ? order by id")) {
            p.setFetchSize(7);
            p.setInt(1, 0);
            check(drain(p.executeQuery()) == 59, "pieces");
            p.setMaxRows(5);
            check(drain(p.executeQuery()) == 5, "at most five");
        }
        c.commit();
        c.setAutoCommit(true);
    }

    static void copies(Connection c) throws Exception {
        CopyManager copy = c.unwrap(PGConnection.class).getCopyAPI();
        StringBuilder in = new StringBuilder();
        for (int n = 100; n < 400; n++) in.append(n).append("\tcopied ").append(n).append('\n');
        check(copy.copyIn("copy things (id, name) from stdin", new StringReader(in.toString())) == 300, "copy in");
        StringWriter out = new StringWriter();
        check(copy.copyOut("copy (select id, name from things order by id) to stdout", out) == 359, "copy out");
        expect("22P02", () -> copy.copyIn("copy things (id, name) from stdin", new StringReader("500\tok\nno number\tx\n")));
        CopyIn broken = copy.copyIn("copy things (id, name) from stdin");
        broken.writeToCopy("1000\tx\n".getBytes(), 0, 7);
        broken.cancelCopy();
    }

    static void errors(Connection c, Statement s) throws Exception {
        c.setAutoCommit(false);
        expect("22012", () -> s.executeQuery("select 1/0"));
        expect("25P02", () -> s.executeQuery("select 1"));
        c.rollback();
        s.executeUpdate("update things set name = 'kept' where id = 2");
        Savepoint point = c.setSavepoint();
        expect("23505", () -> s.executeUpdate("insert into things (id) values (1)"));
        c.rollback(point);
        c.releaseSavepoint(point);
        c.commit();
        c.setAutoCommit(true);
        try (PreparedStatement p = c.prepareStatement("insert into things (id) values (?)")) {
            for (int id : new int[] {2000, 1, 2001}) {
                p.setInt(1, id);
                p.addBatch();
            }
            expect("23505", () -> p.executeBatch());
        }
    }

    static void texts(Connection c, Statement s) throws Exception {
        s.execute("select 1; select 2 as b; select 3 where false");
        check(s.getMoreResults(), "second result");
        s.execute("");
        s.execute("do $$ begin raise notice 'first'; raise warning 'second' using hint = 'a hint'; end $$");
        check(s.getWarnings() != null, "warnings");
        s.execute("set application_name = 'jdbc again'");
        s.execute("set application_name = 'jdbc'");
        expect("42601", () -> s.execute("selec 1"));
    }

    static void large(Connection c, Statement s) throws Exception {
        try (ResultSet rs = s.executeQuery("select repeat('x', 1048576)")) {
            check(rs.next() && rs.getString(1).length() == 1 << 20, "large result");
        }
        try (PreparedStatement p = c.prepareStatement("select length(?), length(?::bytea)")) {
            p.setString(1, "y".repeat(1 << 20));
            p.setBytes(2, new byte[1 << 20]);
            check(drain(p.executeQuery()) == 1, "large parameter");
        }
        check(drain(s.executeQuery("select g, md5(g::text) from generate_series(1, 5000) g")) == 5000, "rows");
    }

    static void notifications(Connection c, Statement s) throws Exception {
        PGConnection pg = c.unwrap(PGConnection.class);
        s.execute("listen told");
        s.execute("notify told, 'own'");
        check(pg.getNotifications().length == 1, "own");
        try (Connection other = connect(); Statement os = other.createStatement()) {
            os.execute("notify told, 'other'");
        }
        check(pg.getNotifications(30000).length == 1, "other");
        s.execute("unlisten *");
    }

    static void metadata(Connection c) throws Exception {
        DatabaseMetaData m = c.getMetaData();
        check(drain(m.getColumns(null, "public", "things", null)) == 10, "columns");
        check(drain(m.getPrimaryKeys(null, "public", "things")) == 1, "key");
        drain(m.getTypeInfo());
    }

    // Cancelled when the test says that it runs.
    static void cancelled(Statement s) throws Exception {
        Thread thread = new Thread(() -> {
            try {
                System.in.read();
                s.cancel();
            } catch (Exception e) {
                e.printStackTrace();
            }
        });
        thread.start();
        expect("57014", () -> s.execute("select pg_sleep(61)"));
        thread.join();
        s.execute("select 'still there'");
    }
}
