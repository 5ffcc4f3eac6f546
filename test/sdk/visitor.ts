/** Somebody with a browser on this machine, without scripts. */

export interface Page {
  url: string;
  status: number;
  html: string;
}

const FORM = /<form[^>]*>[\s\S]*?<\/form>/g;
const unescaped = (text: string) => text.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"');

export class Visitor {
  /** Of all hosts of this machine, as browsers do not tell its ports apart. */
  readonly jar = new Map<string, string>();
  /** What addresses begin with that are not opened: where pages lead there, a page with that address is the end. */
  stopsAt: string | null = null;

  cookies(): string {
    return [...this.jar].map((pair) => pair.join("=")).join("; ");
  }

  /** Opens an address, or sends a form to it, and goes on until a page stays. */
  async open(url: string, form?: Record<string, string>): Promise<Page> {
    if (this.stopsAt !== null && url.startsWith(this.stopsAt)) return { url, status: 0, html: "" };
    const headers = new Headers({
      accept: "text/html",
      cookie: this.cookies(),
    });
    if (form) headers.set("origin", new URL(url).origin);
    const init = form ? { method: "POST", body: new URLSearchParams(form) } : {};
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = line.match(/^([^=]+)=([^;]*)/) ?? [];
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) this.jar.delete(name);
      else this.jar.set(name, value);
    }
    const html = await answer.text();
    const refresh = answer.headers.get("refresh")?.replace(/^0; url=/, "");
    const next = answer.headers.get("location") ?? refresh;
    return next === undefined ? { url, status: answer.status, html } : this.open(new URL(next, url).href);
  }

  /** Sends the form of a page that has a field or button of this name. */
  async send(page: Page, name: string, fields: Record<string, string>): Promise<Page> {
    const form = page.html.match(FORM)?.find((one) => one.includes(`name="${name}"`));
    if (!form) throw new Error(`No form with ${name} at ${page.url}: ${page.status} ${page.html.slice(0, 1_000)}`);
    const [, action = page.url] = form.match(/^<form[^>]* action="([^"]*)"/) ?? [];
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const kept = Object.fromEntries(hidden.map(([, field = "", value = ""]) => [field, unescaped(value)]));
    return this.open(new URL(unescaped(action), page.url).href, { ...kept, ...fields });
  }

  /** Follows the link of a page to a site, if it has one: to an app on this machine, Postern leads by links alone. */
  async goOn(page: Page, origin: string): Promise<Page> {
    const links = [...page.html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = ""]) => unescaped(href));
    const link = links.find((href) => href.startsWith(`${origin}/`));
    return link === undefined ? page : this.open(link);
  }

  /** Opens a page of an app, signs in where Postern asks, and allows what the app asks for. */
  async signIn(url: string, email: string, password: string): Promise<Page> {
    return this.goOn(await this.answer(await this.open(url), email, password), this.stopsAt ?? new URL(url).origin);
  }

  /** Signs in where Postern asks, and allows what is asked for. */
  async answer(asked: Page, email: string, password: string): Promise<Page> {
    let page = asked;
    if (page.html.includes('name="password"')) page = await this.send(page, "password", { email, password });
    if (page.html.includes('name="answer"')) page = await this.send(page, "answer", { answer: "allow" });
    return page;
  }
}
