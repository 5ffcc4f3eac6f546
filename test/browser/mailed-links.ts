/** Where the token of a mailed link goes in the browser. */
import { expect, test } from "vitest";
import type { Stage } from "./stage.ts";

const TOKEN = "a-token-that-nobody-mailed";

export function mailedLinks(stage: Stage): void {
  test.each(["reset-password", "verify-email", "accept-invitation", "not-me", "remove-two-factor", "confirm-email"])(
    "the token of a link to /%s leaves the address bar and the history, and goes to no other host",
    async (name) => {
      const page = await stage.open();
      const requested: string[] = [];
      page.on("request", (request) => requested.push(request.url()));
      await page.goto(`${stage.server.base}/console/${name}?token=${TOKEN}`);
      expect(page.url()).toBe(`${stage.server.base}/console/${name}`);
      await page.goto(`${stage.server.base}/console/sign-in`);
      await page.goBack();
      expect(page.url()).not.toContain(TOKEN);
      expect(requested.filter((url) => !url.startsWith(stage.server.base))).toEqual([]);
      await page.context().close();
    },
  );
}
