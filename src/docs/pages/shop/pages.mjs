/** The pages of the shop, without a framework, and those that mails of Postern link to, below `APP_URL`. */
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

const password = { name: "password", type: "password", label: "New password" };
const email = { name: "email", type: "email", label: "Your email address" };

/**
 * Each page shows a form, because programs that check mails open links too. `send` gets a client of whoever is signed
 * in, and the fields of the form. It returns a sentence to show, unless it opens a session.
 */
export const MAIL_PAGES = {
  "/verify-email": {
    title: "Verify your email address",
    send: (client, { token }) => client.auth.verifyEmail(token),
  },
  "/reset-password": {
    title: "Set a new password",
    fields: [password],
    send: (client, { token, password }) => client.auth.resetPassword({ token, newPassword: password }),
  },
  "/accept-invitation": {
    title: "Accept the invitation",
    fields: [email, password],
    send: async (client, { token, email, password }) => {
      await client.auth.register({ email, password, invitationToken: token });
    },
  },
  "/confirm-email": {
    title: "Use this email address", // The user must be signed in.
    send: (client, { token }) => client.auth.confirmEmail(token),
  },
  "/not-me": {
    title: "This was not me",
    send: (client, { token }) => client.auth.reportNotMe(token),
  },
  "/remove-two-factor": {
    title: "Remove the second factor", // Sent when an operator helps somebody who has lost a phone.
    send: (client, { token }) => client.twoFactor.removeLost(token),
  },
};
