/** Where an item is in its heap, so that it can be found there. */
export interface Placed {
  place: number;
}

/** A binary heap: its first item is known at once, and adding or removing one takes as many steps as it is deep. */
export class Heap<Item extends Placed> {
  readonly #items: Item[] = [];

  constructor(private readonly isBefore: (one: Item, other: Item) => boolean) {}

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#put(item, this.#items.length);
    this.#rise(item);
  }

  /** Removes an item of this heap. */
  remove(item: Item): void {
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#put(last, item.place);
    this.#rise(last);
    this.#sink(last);
  }

  #put(item: Item, place: number): void {
    item.place = place;
    this.#items[place] = item;
  }

  #rise(item: Item): void {
    for (;;) {
      const above = item.place === 0 ? undefined : this.#items[(item.place - 1) >> 1];
      if (!above || !this.isBefore(item, above)) return;
      this.#swap(item, above);
    }
  }

  #sink(item: Item): void {
    for (;;) {
      const [left, right] = [this.#items[2 * item.place + 1], this.#items[2 * item.place + 2]];
      const below = left && right && this.isBefore(right, left) ? right : left;
      if (!below || !this.isBefore(below, item)) return;
      this.#swap(item, below);
    }
  }

  #swap(one: Item, other: Item): void {
    const { place } = one;
    this.#put(one, other.place);
    this.#put(other, place);
  }
}
