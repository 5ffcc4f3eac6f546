import { type D1Like, type Delivery, d1Store, handle } from "postern/receive";

/** Marks each order as paid once, however often its delivery comes. Call `d1Store(db).migrate()` when you deploy. */
export function receive<P>(request: Request, secret: string, db: D1Like<P>): Promise<Response> {
  return handle(request, { secret, store: d1Store(db) }, ({ type, payload }: Delivery<{ id: number }>, tx) => {
    if (type === "OrderPaid") tx.run("UPDATE orders SET paid = 1 WHERE id = ?", payload.id);
  });
}
