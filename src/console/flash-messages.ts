/** Flash messages: one sentence about the last write, shown once on the page that follows it. */

export const FLASH_MESSAGES = {
  welcome: "Welcome. Your account is ready.",
  signInAgain: "Please sign in again.",
  signedOut: "You are signed out.",
  verificationSent: "Verification email sent.",
  verified: "Your email address is verified.",
  passwordReset: "Your password is set. Sign in with your new password.",
  switched: "You are working in another tenant now.",
  left: "You have left the tenant. Sign in to work in another one.",
  joined: "You have joined. Choose the tenant in the sidebar to work there.",
  subscribed: "Subscription created.",
  changed: "Changes saved.",
  paused: "Paused. Nothing is sent to this subscription until you resume it.",
  resumed: "Resumed. New events are sent to this subscription again.",
  secretsEnded: "Old secrets and keys have ended.",
  deleted: "Subscription deleted.",
  published: "Event published.",
  signedOutEverywhere: "You are signed out everywhere.",
  tested: "Test queued. It will appear below in a moment.",
  retried: "Retry queued. It will appear below in a moment.",
  replayStarted: "Replay started. Its progress appears below.",
  replayStopped: "Replay stopped. Deliveries that it has already queued are still sent.",
  keyRevoked: "API key revoked.",
  invited: "Invitation sent.",
  invitationRevoked: "Invitation revoked.",
  roleChanged: "Role changed.",
  memberRemoved: "Member removed.",
  sessionRevoked: "Session revoked.",
  passwordChanged: "Password changed. Your other sessions have ended.",
  alertsOn: "Mails about failing subscriptions are on.",
  alertsOff: "Mails about failing subscriptions are off.",
  twoFactorOff: "Two-factor authentication is off.",
} as const;

/** Travels in a cookie in place of the text. */
export type FlashKey = keyof typeof FLASH_MESSAGES;
