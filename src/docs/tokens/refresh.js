const API = "https://postern.example.com/api/v1";
const load = () => JSON.parse(localStorage.getItem("tokens") ?? "null");
const save = (tokens) => localStorage.setItem("tokens", JSON.stringify(tokens));

/** `fetch` under `/api/v1` as the signed-in user. After a login: `save(answer.data)`. */
export async function api(path, init = {}) {
  const send = (token) =>
    fetch(API + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
  const stale = load()?.accessToken;
  const answer = await send(stale);
  if (answer.status !== 401 || !stale) return answer;
  // One tab at a time; the others find the new token when their turn comes.
  const fresh = await navigator.locks.request("postern-refresh", () => refresh(stale));
  return fresh ? send(fresh) : answer;
}

async function refresh(stale) {
  const tokens = load();
  if (tokens?.accessToken !== stale) return tokens?.accessToken;
  // One key for each refresh token, stored before it is sent: a reloaded page asks with the same key.
  tokens.key ??= crypto.randomUUID();
  save(tokens);
  for (let attempt = 0; attempt < 5; attempt++) {
    const answer = await fetch(`${API}/auth/refresh`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": tokens.key },
      body: JSON.stringify({ refreshToken: tokens.refreshToken }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined);
    const body = await answer?.json().catch(() => undefined);
    if (load()?.refreshToken !== tokens.refreshToken) return load()?.accessToken; // Signed out or in meanwhile.
    if (answer?.ok && body) {
      save(body.data);
      return body.data.accessToken;
    }
    if (answer?.status === 401) localStorage.removeItem("tokens"); // REFRESH_TOKEN_*: show the login.
    if (answer && answer.status < 500 && body) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
  }
}
