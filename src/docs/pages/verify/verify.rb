require "base64"
require "openssl"

TOLERANCE_SECONDS = 300

# Whether a delivery is genuine. `body` is the raw text; `headers` has lower-case names.
def genuine?(body, headers, *secrets)
  id, timestamp = headers["webhook-id"].to_s, headers["webhook-timestamp"].to_s
  return false if id.empty? || !timestamp.match?(/\A[0-9]{1,12}\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  signed = "#{id}.#{timestamp}.".b + body.b
  given = headers["webhook-signature"].to_s.split(" ")
  secrets.any? do |secret|
    expected = "v1," + Base64.strict_encode64(OpenSSL::HMAC.digest("SHA256", key_of(secret), signed))
    given.any? { |signature| OpenSSL.secure_compare(expected, signature) }
  end
end

# A `whsec_` secret holds the key in base64; any other secret is the key itself.
def key_of(secret)
  secret.start_with?("whsec_") ? Base64.decode64(secret.delete_prefix("whsec_")) : secret.b
end
