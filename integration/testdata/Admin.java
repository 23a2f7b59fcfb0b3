import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** Looks at the admin database through JDBC. Arguments: host, port, certificate. */
public class Admin {
  public static void main(String[] args) throws SQLException {
    Properties p = new Properties();
    p.setProperty("user", "dba");
    p.setProperty("password", "dba");
    p.setProperty("sslmode", "verify-full");
    p.setProperty("sslrootcert", args[2]);
    p.setProperty("prepareThreshold", "-1"); // named and binary at once
    try (Connection dba = DriverManager.getConnection("jdbc:postgresql://" + args[0] + ":" + args[1] + "/pgask", p)) {
      dba.setAutoCommit(false);
      try (PreparedStatement clients = dba.prepareStatement("SHOW CLIENTS")) {
        clients.setFetchSize(1); // a portal that is read row by row
        int mine = 0;
        try (ResultSet rows = clients.executeQuery()) {
          while (rows.next()) {
            if (rows.getString("database").equals("pgask")) {
              mine++;
              System.out.println("client " + rows.getString("user") + " " + rows.getString("state") + " " + (rows.getLong("pid") > 0));
            }
          }
        }
        System.out.println("mine " + mine);
      }
      try (Statement s = dba.createStatement()) {
        s.execute("DROP TABLE everything");
      } catch (SQLException e) {
        System.out.println("error " + e.getSQLState());
      }
      dba.rollback();
      System.out.println("valid " + dba.isValid(5));
      try (Statement s = dba.createStatement(); ResultSet rows = s.executeQuery("SHOW VERSION")) {
        rows.next();
        System.out.println("version " + rows.getString(1).split(" ")[0]);
      }
    }
  }
}
