package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

var ErrRefused = errors.New("webhook: not a genuine delivery")

// Verify returns ErrRefused unless a delivery is genuine. Pass http.Header's Get as header, and the raw body.
func Verify(header func(string) string, body []byte, secrets ...string) error {
	id, timestamp := header("webhook-id"), header("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return ErrRefused
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, keyOf(secret))
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, signature := range strings.Split(header("webhook-signature"), " ") {
			if hmac.Equal([]byte(expected), []byte(signature)) {
				return nil
			}
		}
	}
	return ErrRefused
}

// keyOf returns the key: a whsec_ secret holds it in base64; any other secret is the key itself.
func keyOf(secret string) []byte {
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if key, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return key
		}
	}
	return []byte(secret)
}
