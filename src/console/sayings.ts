/** What a page says after a write. The cookie that carries it holds a name of this table, never words. */
export const SAYINGS = {
  welcome: "Welcome. Your account is ready.",
  signInAgain: "Please sign in again.",
  signedOut: "You are signed out.",
  verificationSent: "Verification email sent.",
  verified: "Your email address is verified.",
  passwordReset: "Your password is set. Sign in with it.",
  joined: "You have joined. Sign in again to work there.",
  subscribed: "Subscription created.",
  changed: "Changes saved.",
  paused: "Paused: new events skip this subscription.",
  resumed: "Resumed: new events go to this subscription again.",
  deleted: "Subscription deleted.",
  published: "Event published.",
  signedOutEverywhere: "You are signed out everywhere.",
  tested: "Test queued. It appears below in a moment.",
  retried: "Queued to be sent again. It appears below in a moment.",
  keyRevoked: "API key revoked.",
  invited: "Invitation sent.",
  invitationRevoked: "Invitation revoked.",
  roleChanged: "Role changed.",
  memberRemoved: "Member removed.",
  sessionRevoked: "Session revoked.",
  passwordChanged: "Password changed. Your other sessions have ended.",
  twoFactorOff: "Two-factor authentication is off.",
} as const;

export type Saying = keyof typeof SAYINGS;
