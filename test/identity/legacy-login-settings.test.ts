/** The settings of the legacy login, and the example of the former service on its page. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/base/config/config";
import { ConfigError } from "../../src/base/config/config-error";
import { LEGACY } from "../support/former-service";

describe("the settings", () => {
  const problemsOf = (settings: Record<string, unknown>) => {
    try {
      parseConfig({ ...env, ...settings });
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
  };

  test.each(Object.keys(LEGACY))("stop the service without %s, which they name", (name) => {
    expect(problemsOf({ ...LEGACY, [name]: "" })).toContain(
      `${name} must be set with the other settings LEGACY_LOGIN_...`,
    );
  });

  test.each([
    ["LEGACY_LOGIN_URL", "former.example"],
    ["LEGACY_LOGIN_URL", "ftp://former.example"],
    ["LEGACY_LOGIN_URL", "https://user:password@former.example"],
    ["LEGACY_LOGIN_SECRET", "x".repeat(31)],
    ["LEGACY_LOGIN_UNTIL", "tomorrow"],
  ])("stop the service with a bad %s (%s)", (name, value) => {
    const message = problemsOf({ ...LEGACY, [name]: value });
    expect(message).toContain(`${name} must be`);
    expect(message).not.toContain(value);
  });

  test("take http and private hosts only where webhooks may go there", () => {
    for (const url of ["http://former.example", "https://10.0.0.1", "https://former.internal"]) {
      const settings = { ...LEGACY, LEGACY_LOGIN_URL: url };
      expect(problemsOf({ ...settings, WEBHOOK_EGRESS: "any" })).toEqual([]);
      expect(problemsOf({ ...settings, WEBHOOK_EGRESS: "public" })).toContain("LEGACY_LOGIN_URL must be an https URL");
    }
    expect(problemsOf({ ...LEGACY, WEBHOOK_EGRESS: "public" })).toEqual([]);
    expect(parseConfig({ ...env }).legacyLogin).toBeNull();
  });
});

test("the example is on its page", () => {
  const [page] = Object.values(
    import.meta.glob("../../src/docs/pages/moving-in.md", { query: "?raw", import: "default", eager: true }),
  );
  const [example] = Object.values(
    import.meta.glob("../../src/docs/pages/moving-in/former-service.ts", {
      query: "?raw",
      import: "default",
      eager: true,
    }),
  );
  expect(page).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
});
