import { DeliveryError, type VerificationKeys, verifyDelivery } from "postern/verify";

/** Receives a delivery. `keys` is the signing secret, a list of secrets or public keys, or `{ jwks: url }`. */
export async function receive(request: Request, keys: VerificationKeys): Promise<Response> {
  try {
    const { id, type, payload } = await verifyDelivery(request, keys);
    console.log("received", type, id, payload); // Store the delivery, respond, and do slow work afterwards.
    return new Response("ok");
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    // The public keys could not be fetched: 503 has the delivery sent again.
    return new Response(error.reason, { status: error.reason === "KEYS_UNAVAILABLE" ? 503 : 400 });
  }
}
