/** Reading requests and writing pages, without a framework. */
const MAX_BODY_BYTES = 1_000_000;

export async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error("The body is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export const formOf = async (request) => Object.fromEntries(new URLSearchParams((await bodyOf(request)).toString()));

export const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export function show(response, status, title, html = "") {
  // The address of a page may have a token in it, which no other site may learn.
  const headers = { "Content-Type": "text/html; charset=utf-8", "Referrer-Policy": "no-referrer" };
  const name = escapeHtml(title);
  response.writeHead(status, headers).end(`<!doctype html><title>${name}</title><h1>${name}</h1>${html}`);
}

export const redirect = (response, path) => response.writeHead(303, { Location: path }).end();
