/** What the operator has written down that may bear on a question, the nearest first. */
export type KnownContext = {
  facts: readonly { category: string; key: string; value: string }[]
  chunks: readonly { title: string; text: string }[]
}

export const nothingKnown: KnownContext = { facts: [], chunks: [] }

/** Finds it; bounded by whoever keeps it. */
export type FindContext = (question: string) => Promise<KnownContext>
