/** A portal inside a page of another origin, as a customer sees it. */
import { test } from "vitest";
import { confirm, PASSWORD, register, type Stage, subscribe } from "./stage.ts";

/** A portal link of the account's tenant. */
async function linkOf({ server }: Stage, email: string): Promise<string> {
  const post = async (path: string, body: object, token?: string) => {
    const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(`${server.base}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { data: Record<string, string> }).data;
  };
  const { accessToken } = await post("/auth/login", { email, password: PASSWORD });
  const permissions = ["webhook.read", "webhook.update"];
  const theme = { colors: { accent: "#7a1fa2" }, title: "Shop hooks" };
  const { url = "" } = await post(
    "/portal-links",
    { permissions, theme, returnUrl: "https://shop.example/" },
    accessToken,
  );
  return url;
}

export function portals(stage: Stage): void {
  test("a portal works in a frame of an allowed origin, and is shown in no other", async ({ expect }) => {
    const owner = await stage.open();
    const email = await register(stage, owner);
    await confirm(stage, owner, email);
    await subscribe(stage, owner, { name: "orders", url: stage.receiver.url("/200/orders"), events: "*" });

    const shop = await stage.open();
    const link = await linkOf(stage, email);
    await shop.goto(stage.framer.url("127.0.0.1", link));
    const framed = shop.frameLocator("iframe");
    await framed.getByRole("heading", { name: "Webhooks" }).waitFor();
    const [, frame] = shop.frames();
    expect(frame?.url()).toBe(`${stage.server.base}/portal/webhooks`);
    await framed.getByRole("link", { name: "orders" }).click();
    await framed.getByRole("button", { name: "Pause", exact: true }).click();
    await framed.getByText("Paused. Nothing is sent to this webhook until you resume it.").waitFor();
    await shop.goto(stage.framer.isolated(`${stage.server.base}/portal/webhooks`));
    await framed.getByRole("heading", { name: "Webhooks" }).waitFor();
    await shop.goto(stage.framer.url("127.0.0.1", link));
    await framed.getByRole("heading", { name: "This link does not work" }).waitFor();

    // Its refusal is a message in the console of the page, which the other pages must not have.
    const elsewhere = await (await stage.browser.newContext()).newPage();
    const unused = await linkOf(stage, email);
    await elsewhere.goto(stage.framer.url("localhost", unused));
    const [, refused] = elsewhere.frames();
    expect(refused?.url()).not.toContain("/portal");
    await elsewhere.goto(unused);
    await elsewhere.getByRole("heading", { name: "Webhooks" }).waitFor();
    expect(elsewhere.url()).toBe(`${stage.server.base}/portal/webhooks`);
    await elsewhere.getByLabel("Name or URL").press("Enter");
    await elsewhere.waitForURL(/\/portal\/webhooks\?q=/);
  });
}
