// go-oidc with x/oauth2, as their examples show it, with PKCE.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/url"
	"os"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Getenv("POSTERN_URL"))
	check(err)
	config := oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		RedirectURL:  os.Getenv("APP_URL") + "/auth/callback",
		Endpoint:     provider.Endpoint(),
		Scopes:       []string{oidc.ScopeOpenID, "email", "tenant", oidc.ScopeOfflineAccess},
	}
	verifier, state, nonce := oauth2.GenerateVerifier(), oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	fmt.Println(config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)))

	line := bufio.NewScanner(os.Stdin)
	line.Scan()
	answer, err := url.Parse(line.Text())
	check(err)
	if answer.Query().Get("state") != state {
		log.Fatal("another state")
	}
	token, err := config.Exchange(ctx, answer.Query().Get("code"), oauth2.VerifierOption(verifier))
	check(err)
	raw, _ := token.Extra("id_token").(string)
	idToken, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, raw)
	check(err)
	if idToken.Nonce != nonce {
		log.Fatal("another nonce")
	}
	check(idToken.VerifyAccessToken(token.AccessToken))

	token.Expiry = time.Now().Add(-time.Minute)
	renewed, err := config.TokenSource(ctx, token).Token()
	check(err)
	userinfo, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(renewed))
	check(err)
	var claims struct {
		TenantId string `json:"tid"`
	}
	check(idToken.Claims(&claims))
	again, _ := renewed.Extra("id_token").(string)
	said := map[string]string{"email": userinfo.Email, "tenantId": claims.TenantId, "idToken": again}
	check(json.NewEncoder(os.Stdout).Encode(said))
}
