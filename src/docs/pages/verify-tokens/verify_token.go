// Package postern verifies access tokens of Postern with the standard library.
package postern

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"time"
)

const toleranceSeconds = 5

type Key struct{ Kid, Alg, X, Y string }
type KeySet struct{ Keys []Key }

type Claims struct {
	Iss, Aud, Sub, Sid, Tid, Role, Scope string
	Iat, Exp                             int64
	SecondFactorDue                      bool `json:"second_factor_due"`
}

// Revoked says until when tokens are revoked, by prefix.
type Revoked map[string]int64

// Verify returns the claims of a valid token. revoked is what ReadRevoked returned.
func Verify(token string, keys KeySet, revoked Revoked, issuer, audience string, now time.Time) (*Claims, error) {
	var claims Claims
	if err := openJWS(token, "at+jwt", keys, &claims); err != nil {
		return nil, err
	}
	if claims.Iss != issuer || claims.Aud != audience {
		return nil, errors.New("for somebody else")
	}
	if now.Unix() < claims.Iat-toleranceSeconds || now.Unix() >= claims.Exp+toleranceSeconds {
		return nil, errors.New("expired, or not yet valid")
	}
	sub, sid, tid := claims.Sub, claims.Sid, claims.Tid
	texts := []string{"s:" + sid + ":" + tid, "u:" + sub, "m:" + tid + ":" + sub, "t:" + tid}
	entries := []string{"*"}
	for _, text := range texts {
		digest := sha256.Sum256([]byte(text))
		entries = append(entries, base64.RawURLEncoding.EncodeToString(digest[:9]))
	}
	for _, entry := range entries {
		if at, listed := revoked[entry]; listed && at >= claims.Iat {
			return nil, errors.New("revoked")
		}
	}
	if claims.SecondFactorDue {
		return nil, errors.New("second factor required: answer 403")
	}
	return &claims, nil
}

// ReadRevoked reads the list of /.well-known/revoked.
func ReadRevoked(jws string, keys KeySet, issuer, audience string) (Revoked, error) {
	var list struct {
		Iss, Aud string
		Revoked  [][2]any
	}
	if err := openJWS(jws, "revoked+jwt", keys, &list); err != nil {
		return nil, err
	}
	if list.Iss != issuer || list.Aud != audience {
		return nil, errors.New("for somebody else")
	}
	revoked := Revoked{}
	for _, entry := range list.Revoked {
		prefix, isText := entry[0].(string)
		at, isNumber := entry[1].(float64)
		if !isText || !isNumber {
			return nil, errors.New("malformed list")
		}
		revoked[prefix] = int64(at)
	}
	return revoked, nil
}

func openJWS(jws, typ string, keys KeySet, claims any) error {
	parts := strings.Split(jws, ".")
	if len(parts) != 3 {
		return errors.New("malformed")
	}
	var header struct {
		Typ, Kid, Alg string
		Crit          any
	}
	if err := decodeJSON(parts[0], &header); err != nil {
		return err
	}
	if header.Typ != typ || header.Crit != nil {
		return errors.New("another type")
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return err
	}
	for _, key := range keys.Keys {
		if key.Kid == header.Kid && key.Alg == header.Alg {
			if !signed(key, []byte(parts[0]+"."+parts[1]), signature) {
				return errors.New("bad signature")
			}
			return decodeJSON(parts[1], claims)
		}
	}
	return errors.New("unknown key: fetch the keys again, at most every 30 seconds")
}

func signed(key Key, message, signature []byte) bool {
	x, errX := base64.RawURLEncoding.DecodeString(key.X)
	if key.Alg == "EdDSA" {
		return errX == nil && len(x) == ed25519.PublicKeySize && ed25519.Verify(x, message, signature)
	}
	y, errY := base64.RawURLEncoding.DecodeString(key.Y)
	if errX != nil || errY != nil || len(signature) != 64 {
		return false
	}
	number := func(bytes []byte) *big.Int { return new(big.Int).SetBytes(bytes) }
	public := ecdsa.PublicKey{Curve: elliptic.P256(), X: number(x), Y: number(y)}
	digest := sha256.Sum256(message)
	return ecdsa.Verify(&public, digest[:], number(signature[:32]), number(signature[32:]))
}

func decodeJSON(part string, value any) error {
	bytes, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes, value)
}
