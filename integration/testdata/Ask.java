import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/**
 * Asks through JDBC. Arguments: host, port, certificate, question. Prints the columns, the rows of
 * two executions, whether TLS is on, and how a cancelled query ended, for the test to look at.
 */
public class Ask {
  static Connection connect(String[] args, String user) throws SQLException {
    Properties p = new Properties();
    p.setProperty("user", user);
    p.setProperty("password", user);
    p.setProperty("sslmode", "verify-full");
    p.setProperty("sslrootcert", args[2]);
    p.setProperty("prepareThreshold", "1"); // a named statement from the first execution on
    return DriverManager.getConnection("jdbc:postgresql://" + args[0] + ":" + args[1] + "/acme", p);
  }

  static void execute(PreparedStatement ask) throws SQLException {
    try (ResultSet rows = ask.executeQuery()) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        StringBuilder line = new StringBuilder("row");
        for (int i = 1; i <= columns; i++) {
          line.append(i == 1 ? " " : " | ").append(rows.getString(i));
        }
        System.out.println(line);
      }
    }
    System.out.println("notice " + (ask.getWarnings() == null ? "none" : ask.getWarnings().getSQLState()));
  }

  static void cancel(Connection dba, Connection watcher) throws Exception {
    try (Statement slow = dba.createStatement()) {
      Thread stopper = new Thread(() -> {
        try (Statement look = watcher.createStatement()) {
          boolean running = false;
          while (!running) {
            try (ResultSet r = look.executeQuery("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(61)%' AND state = 'active'")) {
              running = r.next() && r.getInt(1) > 0;
            }
          }
          slow.cancel();
        } catch (SQLException e) {
          System.out.println("watcher " + e);
        }
      });
      stopper.start();
      try {
        slow.execute("SELECT pg_sleep(61)");
        System.out.println("cancel not noticed");
      } catch (SQLException e) {
        System.out.println("cancel " + e.getSQLState());
      }
      stopper.join();
    }
    try (Statement again = dba.createStatement(); ResultSet r = again.executeQuery("SELECT 'still there'")) {
      r.next();
      System.out.println("after " + r.getString(1));
    }
  }

  public static void main(String[] args) throws Exception {
    try (Connection ana = connect(args, "ana"); PreparedStatement ask = ana.prepareStatement("ASK '" + args[3] + "'")) {
      ResultSetMetaData meta = ask.getMetaData();
      for (int i = 1; i <= meta.getColumnCount(); i++) {
        System.out.println("column " + meta.getColumnName(i) + " " + JDBCType.valueOf(meta.getColumnType(i)).getName() + " " + meta.getColumnTypeName(i));
      }
      execute(ask);
      execute(ask);
    }
    try (Connection dba = connect(args, "dba"); Connection watcher = connect(args, "dba")) {
      cancel(dba, watcher);
    }
  }
}
