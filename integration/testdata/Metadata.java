import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;

/**
 * Calls every method of DatabaseMetaData and prints what it gives, one line a
 * row: the method, then the cells. Errors are lines that begin with "error".
 * Arguments: host, port, database, user, password, schema, table, query.
 */
public class Metadata {
    public static void main(String[] args) throws Exception {
        Properties login = new Properties();
        login.setProperty("user", args[3]);
        login.setProperty("password", args[4]);
        String url = "jdbc:postgresql://" + args[0] + ":" + args[1] + "/" + args[2];
        try (Connection conn = DriverManager.getConnection(url, login)) {
            DatabaseMetaData meta = conn.getMetaData();
            Method[] methods = DatabaseMetaData.class.getMethods();
            Arrays.sort(methods, Comparator.comparing(Method::getName).thenComparing(Method::getParameterCount));
            for (Method m : methods) {
                for (Object[] values : arguments(m, args[5], args[6])) {
                    call(meta, m, values);
                }
            }
            query(conn, args[7]);
        }
    }

    /** With the schema and the table, with both as patterns for anything where that isn't long, and keys of all tables. */
    static List<Object[]> arguments(Method m, String schema, String table) {
        List<Object[]> out = new ArrayList<>();
        Class<?>[] types = m.getParameterTypes();
        String[][] choices = {{null, schema, table, "%", schema, table}, {null, "%", "%", "%", "%", "%"}, {null, null, null, null, null, null}};
        boolean keys = m.getName().endsWith("Keys");
        boolean manyRows = m.getName().equals("getFunctionColumns") || m.getName().equals("getProcedureColumns");
        for (String[] texts : types.length == 0 ? new String[][] {{}} : choices) {
            Object[] values = new Object[types.length];
            for (int i = 0, text = 0; i < types.length; i++) {
                if (types[i] == String.class) {
                    // The second catalog of getCrossReference.
                    values[i] = i == 3 && types.length == 6 ? null : text < texts.length ? texts[text++] : null;
                } else if (types[i] == boolean.class) {
                    values[i] = false;
                } else if (types[i] == int.class) {
                    values[i] = m.getName().equals("getBestRowIdentifier") ? DatabaseMetaData.bestRowSession : ResultSet.TYPE_FORWARD_ONLY;
                }
            }
            if (types.length == 0 || texts == choices[0] || (texts == choices[2] ? keys : !manyRows)) {
                out.add(values);
            }
        }
        return out;
    }

    static void call(DatabaseMetaData meta, Method m, Object[] values) throws Exception {
        try {
            Object got = m.invoke(meta, values);
            if (got instanceof ResultSet) {
                rows(m.getName(), (ResultSet) got);
            } else {
                System.out.println(m.getName() + "|" + got);
            }
        } catch (InvocationTargetException e) {
            System.out.println("error|" + m.getName() + Arrays.toString(values) + "|" + e.getCause().getMessage().lines().findFirst().orElse(""));
        } catch (SQLException e) {
            System.out.println("error|" + m.getName() + Arrays.toString(values) + "|" + e.getMessage());
        }
    }

    static void rows(String name, ResultSet r) throws SQLException {
        int columns = r.getMetaData().getColumnCount();
        while (r.next()) {
            StringBuilder line = new StringBuilder(name);
            for (int i = 1; i <= columns; i++) {
                line.append('|').append(r.getString(i));
            }
            System.out.println(line);
        }
    }

    /** What a tool asks of a result's columns. */
    static void query(Connection conn, String sql) throws SQLException {
        try (Statement s = conn.createStatement(); ResultSet r = s.executeQuery(sql)) {
            ResultSetMetaData m = r.getMetaData();
            for (int i = 1; i <= m.getColumnCount(); i++) {
                System.out.println("result|" + m.getColumnName(i) + "|" + m.getColumnTypeName(i) + "|" + m.getSchemaName(i) + "|" + m.getTableName(i)
                    + "|" + m.isAutoIncrement(i) + "|" + m.isNullable(i));
            }
        }
    }
}
