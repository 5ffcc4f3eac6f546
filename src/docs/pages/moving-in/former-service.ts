import { DeliveryError, verifyDelivery } from "postern/verify";

/** What your former service knows of people. */
export interface FormerUsers {
  /** The person whose password this is; null if it is nobody's. */
  check(email: string, password: string): Promise<{ id: string; name: string; isVerified: boolean } | null>;
}

/** Tells Postern whether a password is right. Serve it at `LEGACY_LOGIN_URL`. */
export async function checkPassword(request: Request, secret: string, users: FormerUsers): Promise<Response> {
  try {
    const { payload } = await verifyDelivery<{ email: string; password: string }>(request, secret);
    const user = await users.check(payload.email, payload.password);
    if (!user) return Response.json({ ok: false });
    const profile = { externalId: user.id, name: user.name, emailVerified: user.isVerified };
    return Response.json({ ok: true, profile });
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return new Response(error.reason, { status: 400 });
  }
}
