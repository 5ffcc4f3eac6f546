#!/usr/bin/env bash
# Usage: SECRET=... verify.sh WEBHOOK_ID WEBHOOK_TIMESTAMP WEBHOOK_SIGNATURE BODY_FILE
# Exits with 0 if the delivery is genuine. For manual checks only: openssl's command line shows the key.
set -euo pipefail
id=$1 timestamp=$2 signatures=$3 body=$4

[[ $timestamp =~ ^[0-9]{1,12}$ ]] || exit 1
age=$(($(date +%s) - 10#$timestamp))
((age <= 300 && age >= -300)) || exit 1

# A whsec_ secret holds the key in base64; any other secret is the key itself.
if [[ $SECRET == whsec_* ]]; then key=$(printf %s "${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
else key=$(printf %s "$SECRET" | od -An -v -tx1 | tr -d ' \n'); fi

expected=v1,$({ printf '%s.%s.' "$id" "$timestamp" && cat -- "$body"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)

for signature in $signatures; do [[ $signature == "$expected" ]] && exit 0; done
exit 1
