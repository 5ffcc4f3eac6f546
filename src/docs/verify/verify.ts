import { DeliveryError, verifyDelivery } from "postern/verify";

/** Answers a delivery. `secrets`: the subscription's secret; during a rotation the old and the new one. */
export async function receive(request: Request, secrets: string[]): Promise<Response> {
  try {
    const { id, type, payload } = await verifyDelivery(request, secrets);
    console.log("received", type, id, payload); // Store it, then answer: work that takes long comes after the answer.
    return new Response("ok");
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return new Response(error.reason, { status: 400 });
  }
}
