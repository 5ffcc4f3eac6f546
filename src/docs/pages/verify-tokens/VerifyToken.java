import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.*;
import java.security.spec.*;
import java.util.*;
import java.util.regex.*;

/** Verifies access tokens of Postern with the standard library of Java 17. */
public final class VerifyToken {
  private static final long TOLERANCE_SECONDS = 5;
  private static final Base64.Decoder BASE64 = Base64.getUrlDecoder();

  /**
   * Returns the claims of a valid token as JSON. `jwks` is the document of /.well-known/jwks.json, and `revoked` is what
   * `readRevoked` returned. Throws GeneralSecurityException for a token that is not valid.
   */
  public static String verify(
      String token, String jwks, Map<String, Long> revoked, String issuer, String audience, long nowSeconds)
      throws GeneralSecurityException {
    String claims = openJws(token, "at+jwt", jwks, issuer, audience);
    long iat = Long.parseLong(member(claims, "iat"));
    long exp = Long.parseLong(member(claims, "exp"));
    require(nowSeconds >= iat - TOLERANCE_SECONDS && nowSeconds < exp + TOLERANCE_SECONDS, "expired, or not yet valid");
    String sub = member(claims, "sub"), sid = member(claims, "sid"), tid = member(claims, "tid");
    List<String> entries = new ArrayList<>(List.of("*"));
    for (String text : List.of("s:" + sid + ":" + tid, "u:" + sub, "m:" + tid + ":" + sub, "t:" + tid)) {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      entries.add(Base64.getUrlEncoder().encodeToString(Arrays.copyOf(digest, 9)));
    }
    for (String entry : entries) require(revoked.getOrDefault(entry, 0L) < iat, "revoked");
    require(!claims.contains("\"second_factor_due\":true"), "second factor required: answer 403");
    return claims;
  }

  /** Reads the list of /.well-known/revoked: until when tokens are revoked, by prefix. */
  public static Map<String, Long> readRevoked(String jws, String jwks, String issuer, String audience)
      throws GeneralSecurityException {
    Matcher entry = Pattern.compile("\\[\"([\\w*-]+)\",(\\d+)]").matcher(openJws(jws, "revoked+jwt", jwks, issuer, audience));
    Map<String, Long> revoked = new HashMap<>();
    while (entry.find()) revoked.put(entry.group(1), Long.parseLong(entry.group(2)));
    return revoked;
  }

  private static String openJws(String jws, String typ, String jwks, String issuer, String audience)
      throws GeneralSecurityException {
    String[] parts = jws.split("\\.", -1);
    require(parts.length == 3, "malformed");
    String header = text(parts[0]);
    require(member(header, "typ").equals(typ) && !header.contains("\"crit\""), "another type");
    String key = null;
    for (Matcher each = Pattern.compile("\\{[^{}]*\"kid\"[^{}]*}").matcher(jwks); each.find(); ) {
      boolean isIt = member(each.group(), "kid").equals(member(header, "kid"));
      if (isIt && member(each.group(), "alg").equals(member(header, "alg"))) key = each.group();
    }
    require(key != null, "unknown key: fetch the keys again, at most every 30 seconds");
    boolean isEdwards = member(key, "alg").equals("EdDSA");
    Signature signature = Signature.getInstance(isEdwards ? "Ed25519" : "SHA256withECDSAinP1363Format");
    signature.initVerify(isEdwards ? edwardsKey(key) : curveKey(key));
    signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
    require(signature.verify(bytes(parts[2])), "bad signature");
    String claims = text(parts[1]);
    require(member(claims, "iss").equals(issuer) && member(claims, "aud").equals(audience), "for somebody else");
    return claims;
  }

  private static PublicKey edwardsKey(String jwk) throws GeneralSecurityException {
    byte[] little = bytes(member(jwk, "x"));
    boolean isOdd = (little[31] & 0x80) != 0;
    little[31] &= 0x7f;
    for (int i = 0; i < 16; i++) {
      byte low = little[i];
      little[i] = little[31 - i];
      little[31 - i] = low;
    }
    EdECPoint point = new EdECPoint(isOdd, new BigInteger(1, little));
    return KeyFactory.getInstance("Ed25519").generatePublic(new EdECPublicKeySpec(NamedParameterSpec.ED25519, point));
  }

  private static PublicKey curveKey(String jwk) throws GeneralSecurityException {
    AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
    parameters.init(new ECGenParameterSpec("secp256r1"));
    ECPoint point = new ECPoint(new BigInteger(1, bytes(member(jwk, "x"))), new BigInteger(1, bytes(member(jwk, "y"))));
    ECParameterSpec curve = parameters.getParameterSpec(ECParameterSpec.class);
    return KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, curve));
  }

  /** A text or number of a JSON object that Postern has made. Java has no JSON parser; use yours if you have one. */
  private static String member(String json, String name) throws GeneralSecurityException {
    Matcher found = Pattern.compile("\"" + name + "\":(?:\"([^\"\\\\]*)\"|(\\d+))").matcher(json);
    require(found.find(), "no " + name);
    return found.group(1) != null ? found.group(1) : found.group(2);
  }

  private static String text(String part) throws GeneralSecurityException {
    return new String(bytes(part), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String part) throws GeneralSecurityException {
    try {
      return BASE64.decode(part);
    } catch (IllegalArgumentException malformed) {
      throw new SignatureException("malformed", malformed);
    }
  }

  private static void require(boolean condition, String otherwise) throws GeneralSecurityException {
    if (!condition) throw new SignatureException(otherwise);
  }
}
