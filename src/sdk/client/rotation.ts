/** Rotating what signs a subscription's deliveries. */
import type { Subscription } from "./subscriptions";
import type { Timestamp } from "./types";

/** How to rotate; every field may be left out. */
export interface SecretRotation {
  /** The new secret, of up to 256 characters; a random `whsec_` one unless given. Not with `kind: "v1a"`. */
  secret?: string | undefined;
  /** How long the former key also signs, in seconds: 0 to 604,800, and 86,400 (one day) unless given. */
  overlapSeconds?: number | undefined;
  /**
   * What to replace: the secret (`"v1"`, unless given), or the Ed25519 key (`"v1a"`), which begins to sign after 20
   * minutes.
   */
  kind?: "v1" | "v1a" | undefined;
}

/** The subscription after a rotation. */
export interface RotatedSubscription {
  /** With the new secret. */
  data: Subscription;
  secretRotation: {
    /** When the former keys of the rotated kind end, newest first. */
    previousExpireAt: Timestamp[];
  };
}
