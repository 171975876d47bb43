/** Resolves as the answer does; after this time without one, calls `stop` and rejects with its error. */
export const unlessSilent = async <Answer>(
  answer: Promise<Answer>,
  milliseconds: number,
  stop: () => Error,
): Promise<Answer> => {
  const silence = Promise.withResolvers<never>()
  const timer = setTimeout(() => silence.reject(stop()), milliseconds)
  try {
    return await Promise.race([answer, silence.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The items of a sender. After this time without one, it calls `stop` and throws its error. */
export async function* itemsUnlessSilent<Item>(
  items: AsyncIterable<Item>,
  milliseconds: number,
  stop: () => Error,
): AsyncGenerator<Item> {
  const reading = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await unlessSilent(reading.next(), milliseconds, stop)
      if (next.done) return
      yield next.value
    }
  } finally {
    // It is not waited for, since a sender that cannot be ended would delay its reader.
    void reading.return?.().catch(() => undefined)
  }
}
