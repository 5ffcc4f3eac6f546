import { DeliveryError, verifyDelivery } from "postern/verify";

/** Keep these in your database: delivery is at least once, so an id can arrive again. */
const handled = new Set<string>();

export async function receive(request: Request, secret: string): Promise<Response> {
  try {
    const { id, type, payload } = await verifyDelivery(request, secret);
    if (!handled.has(id)) console.log("received", type, payload);
    handled.add(id);
    return new Response("ok");
  } catch (error) {
    if (error instanceof DeliveryError) return new Response(error.reason, { status: 400 });
    throw error;
  }
}
