const API = "https://postern.example.com/api/v1";
const load = () => JSON.parse(localStorage.getItem("tokens") ?? "null");
const save = (tokens) => localStorage.setItem("tokens", JSON.stringify(tokens));

/** Like `fetch`, for paths under `/api/v1`, as the logged-in user. After a login, call `save(body.data)`. */
export async function api(path, init = {}) {
  const send = (token) =>
    fetch(API + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
  const stale = load()?.accessToken;
  const response = await send(stale);
  if (response.status !== 401 || !stale) return response;
  // One tab at a time: the others find the new token when they get the lock.
  const fresh = await navigator.locks.request("postern-refresh", () => refresh(stale));
  return fresh ? send(fresh) : response;
}

async function refresh(stale) {
  const tokens = load();
  if (tokens?.accessToken !== stale) return tokens?.accessToken;
  // Stored before it is sent, so that a reloaded page repeats the refresh with the same key.
  tokens.key ??= crypto.randomUUID();
  save(tokens);
  for (let attempt = 0; attempt < 5; attempt++) {
    const response = await fetch(`${API}/auth/refresh`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": tokens.key },
      body: JSON.stringify({ refreshToken: tokens.refreshToken }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined);
    const body = await response?.json().catch(() => undefined);
    if (load()?.refreshToken !== tokens.refreshToken) return load()?.accessToken; // A logout or login came first.
    if (response?.ok && body) {
      save(body.data);
      return body.data.accessToken;
    }
    if (response?.status === 401) localStorage.removeItem("tokens"); // Show the login.
    if (response && response.status < 500 && body) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
  }
}
