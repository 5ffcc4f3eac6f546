import { DeliveryError, verifyDelivery } from "postern/verify";

/** Receives a delivery. `secrets` holds the subscription's secret, and during a rotation both the old and the new one. */
export async function receive(request: Request, secrets: string[]): Promise<Response> {
  try {
    const { id, type, payload } = await verifyDelivery(request, secrets);
    console.log("received", type, id, payload); // Store the delivery, respond, and do slow work afterwards.
    return new Response("ok");
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return new Response(error.reason, { status: 400 });
  }
}
