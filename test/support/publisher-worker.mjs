/** A Worker beside ours that publishes through its service binding to the entrypoint `EventPublisher`. */
export default {
  async fetch(request, env) {
    const { tenantId, publication, idempotencyKey } = await request.json();
    try {
      return Response.json({ published: await env.POSTERN.publish(tenantId, publication, idempotencyKey) });
    } catch (error) {
      return Response.json({ name: error.name, message: error.message }, { status: 400 });
    }
  },
};
