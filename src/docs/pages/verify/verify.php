<?php
const TOLERANCE_SECONDS = 300;

/** Whether a delivery is genuine. `$body` is file_get_contents("php://input"); `$headers` has lower-case names. */
function isGenuine(string $body, array $headers, string ...$secrets): bool
{
    $id = $headers["webhook-id"] ?? "";
    $timestamp = $headers["webhook-timestamp"] ?? "";
    if ($id === "" || !preg_match('/^[0-9]{1,12}$/D', $timestamp)) return false;
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) return false;
    foreach ($secrets as $secret) {
        $digest = hash_hmac("sha256", "$id.$timestamp.$body", keyOf($secret), true);
        $expected = "v1," . base64_encode($digest);
        foreach (explode(" ", $headers["webhook-signature"] ?? "") as $signature) {
            if (hash_equals($expected, $signature)) return true;
        }
    }
    return false;
}

/** A `whsec_` secret holds the key in base64; any other secret is the key itself. */
function keyOf(string $secret): string
{
    return str_starts_with($secret, "whsec_") ? base64_decode(substr($secret, 6)) : $secret;
}
