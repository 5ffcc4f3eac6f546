/** Flash messages: one sentence about the last write, shown once on the page that follows it. */

import type { TextKey } from "../base/texts/en";

/** Those on the pages for accounts are texts of the reader's language, with the keys "flash.…". */
export const FLASH_MESSAGES = {
  switched: "You are working in another tenant now.",
  left: "You have left the tenant. Sign in to work in another one.",
  accountDeleted: "Your account is deleted. An email will confirm when everything is removed.",
  tenantDeleted: "The tenant is deleted. Sign in to work in another one.",
  joined: "You have joined. Choose the tenant in the sidebar to work there.",
  sourceCreated: "Source created. Enter its URL at the provider.",
  sourceOn: "The source is on. Calls to its URL become events again.",
  sourceOff: "The source is off. Calls to its URL are refused.",
  sourceSecretAdded: "Secret added. Calls that are signed with any of the secrets are taken.",
  sourceSecretRemoved: "Secret removed.",
  sourceDeleted: "Source deleted.",
  consumerMoved: "Moved. The consumer goes on from there with its next read.",
  consumerForgotten: "The consumer is forgotten.",
  feedDeleted: "Feed deleted.",
  listenerClosed: "Listener closed.",
  typeDeclared: "Event type declared.",
  versionAdded: "Version added. New events must fit it.",
  typeDeleted: "Event type deleted.",
  keyRevoked: "API key revoked.",
  portalLinkRevoked: "Portal link revoked.",
  platformKeyRevoked: "Platform key revoked.",
  importStopped: "Import stopped.",
  formerKeyEnded: "The former key has ended.",
  invited: "Invitation sent.",
  invitationRevoked: "Invitation revoked.",
  roleChanged: "Role changed.",
  memberRemoved: "Member removed.",
  sessionRevoked: "Session revoked.",
  identityLinked: "You can sign in with it from now on. Your other sessions have ended.",
  identityRemoved: "Removed. It can no longer be used to sign in.",
  emailChangeMailed: "We have mailed a link to the new address. Your address changes when you follow it.",
  passwordChanged: "Password changed. Your other sessions have ended.",
  noticesOn: "Subscription notices are on.",
  noticesOff: "Subscription notices are off.",
  tenantSuspended: "The tenant is suspended.",
  tenantResumed: "The tenant is resumed. What has waited is sent.",
  personSuspended: "The person is suspended.",
  personResumed: "The person can sign in again.",
  sessionsEnded: "All sessions of the person have ended.",
  removalMailed: "The link is mailed. Nothing is removed until the person confirms it.",
  sendsFrozen: "Sends are frozen. Nothing is lost.",
  tenantMoved: "The tenant is being moved.",
  moveCancelled: "The move is cancelled.",
  sendsReleased: "Sends are released. What has waited is sent.",
  passkeyAdded: "Passkey added. You can sign in with it from now on.",
  passkeyRemoved: "Passkey removed.",
  twoFactorOff: "Two-factor authentication is off.",
} as const;

/** Travels in a cookie in place of the text. */
type FlashOf<Key> = Key extends `flash.${infer Name}` ? Name : never;
export type FlashKey = keyof typeof FLASH_MESSAGES | FlashOf<TextKey>;
