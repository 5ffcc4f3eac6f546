/** Signing in while the database fails. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import worker from "../../src";
import { PASSWORD, type Person, signUpVerified } from "../support/client";

describe("while the database fails", () => {
  const failing = {
    prepare: (query: string) => {
      const statement = env.DB.prepare(query);
      const fail = () => Promise.reject(new Error("D1_ERROR: storage reset"));
      const broken = { bind: () => broken, all: fail, raw: fail, run: fail, first: fail };
      return /from "?users"?/i.test(query) ? broken : statement;
    },
    batch: () => Promise.reject(new Error("D1_ERROR: storage reset")),
  } as unknown as D1Database;

  async function loginWhile(database: D1Database, { email }: Person) {
    const context = createExecutionContext();
    const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/api/v1/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json", "cf-connecting-ip": "198.51.100.15" },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    const { status } = await worker.fetch(request, { ...env, DB: database }, context);
    await waitOnExecutionContext(context);
    return status;
  }

  test("right sign-ins do not count as wrong ones", async () => {
    const person = await signUpVerified();
    for (let attempt = 0; attempt < 12; attempt++)
      expect(await loginWhile(failing, person)).toBeGreaterThanOrEqual(500);
    expect(await loginWhile(env.DB, person)).toBe(200);
  });
});
