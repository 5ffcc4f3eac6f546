/** The pages that mails of Postern link to: `/verify-email?token=…` and so on, below `APP_URL`. */

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
