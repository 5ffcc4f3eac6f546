/** Flash messages: one sentence about the last write, shown once on the page that follows it. */

export const FLASH_MESSAGES = {
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
  retriedPart: "Many are queued. Press again for the rest.",
  nothingFailed: "No failed delivery is left in that time.",
  keyRevoked: "API key revoked.",
  invited: "Invitation sent.",
  invitationRevoked: "Invitation revoked.",
  roleChanged: "Role changed.",
  memberRemoved: "Member removed.",
  sessionRevoked: "Session revoked.",
  passwordChanged: "Password changed. Your other sessions have ended.",
  twoFactorOff: "Two-factor authentication is off.",
} as const;

/** Travels in a cookie in place of the text. */
export type FlashKey = keyof typeof FLASH_MESSAGES;
