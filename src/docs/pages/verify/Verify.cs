using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

public static class Webhook
{
    const long ToleranceSeconds = 300;

    /// Whether a delivery is genuine. `body` is the raw bytes; `header` returns a header by name, or null.
    public static bool IsGenuine(byte[] body, Func<string, string?> header, params string[] secrets)
    {
        string id = header("webhook-id") ?? "", timestamp = header("webhook-timestamp") ?? "";
        if (id == "" || !Regex.IsMatch(timestamp, @"\A[0-9]{1,12}\z")) return false;
        var age = DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(timestamp);
        if (Math.Abs(age) > ToleranceSeconds) return false;
        var signed = Encoding.UTF8.GetBytes($"{id}.{timestamp}.").Concat(body).ToArray();
        var given = (header("webhook-signature") ?? "").Split(' ').Select(Encoding.UTF8.GetBytes);
        return secrets.Any(secret =>
        {
            var digest = HMACSHA256.HashData(KeyOf(secret), signed);
            var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(digest));
            return given.Any(signature => CryptographicOperations.FixedTimeEquals(expected, signature));
        });
    }

    /// A `whsec_` secret holds the key in base64; any other secret is the key itself.
    static byte[] KeyOf(string secret) =>
        secret.StartsWith("whsec_") ? Convert.FromBase64String(secret[6..]) : Encoding.UTF8.GetBytes(secret);
}
