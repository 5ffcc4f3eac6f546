/** The service that people come from, as the legacy login asks it. */
import { vi } from "vitest";
import { DAY_MS } from "../../src/base/time";
import { checkPassword, type FormerUsers } from "../../src/docs/pages/moving-in/former-service";
import { newAddress, PASSWORD } from "./client";
import { callUnder } from "./overrides";

const URL = "https://former.example/check";
const SECRET = "a secret that both of the services know";

/** The settings of a legacy login that is on. */
export const LEGACY = {
  LEGACY_LOGIN_URL: URL,
  LEGACY_LOGIN_SECRET: SECRET,
  LEGACY_LOGIN_UNTIL: new Date(Date.now() + DAY_MS).toISOString(),
};

type Answer = (request: Request) => Promise<Response> | Response;

/** Answers requests to the former service until `vi.unstubAllGlobals`. Returns its requests. */
export function formerService(answer: Answer): Request[] {
  const requests: Request[] = [];
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", async (input: string | Request, init?: RequestInit) => {
    if (input !== URL) return real(input, init);
    const request = new Request(input, init);
    requests.push(request.clone());
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    return Promise.race([answer(request), aborted]);
  });
  return requests;
}

/** Answers with a status and JSON. */
export const answering =
  (body: unknown, status = 200): Answer =>
  () =>
    Response.json(body, { status });

/** The service of the docs, with these people. */
export const serviceOfDocs =
  (users: FormerUsers): Answer =>
  (request) =>
    checkPassword(request, SECRET, users);

/** Signs in while the legacy login is on. */
export const login = (email: string, fields: Record<string, unknown> = {}, settings: Record<string, unknown> = {}) =>
  callUnder(
    { ...LEGACY, ...settings },
    { path: "/api/v1/auth/login", body: { email, password: PASSWORD, ...fields }, ip: newAddress() },
  );
