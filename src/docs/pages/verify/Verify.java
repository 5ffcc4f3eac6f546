import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Verify {
  private static final long TOLERANCE_SECONDS = 300;

  /** Whether a delivery is genuine. `body` is the raw bytes; `header` returns a header by name, or null. */
  public static boolean isGenuine(byte[] body, UnaryOperator<String> header, String... secrets)
      throws GeneralSecurityException {
    String id = header.apply("webhook-id"), timestamp = header.apply("webhook-timestamp");
    String given = header.apply("webhook-signature");
    if (id == null || id.isEmpty() || given == null || timestamp == null) return false;
    if (!timestamp.matches("[0-9]{1,12}")) return false;
    long age = System.currentTimeMillis() / 1000 - Long.parseLong(timestamp);
    if (Math.abs(age) > TOLERANCE_SECONDS) return false;
    for (String secret : secrets) {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(keyOf(secret), "HmacSHA256"));
      mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
      for (String signature : given.split(" ")) {
        if (MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8))) return true;
      }
    }
    return false;
  }

  /** A `whsec_` secret holds the key in base64; any other secret is the key itself. */
  private static byte[] keyOf(String secret) {
    if (secret.startsWith("whsec_")) return Base64.getDecoder().decode(secret.substring(6));
    return secret.getBytes(StandardCharsets.UTF_8);
  }
}
