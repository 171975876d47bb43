/** A finding of a photo analysis as a sentence; `isDoubtful` if it is a reason against the offer. */
export type PhotoOpinion = { sentence: string; isDoubtful: boolean }

type Analysis = {
  is_stock_photo?: unknown
  visible_damage?: unknown
  authenticity_signal?: unknown
  confidence?: unknown
}

const origins: Readonly<Record<string, PhotoOpinion>> = {
  genuine_product_photo: { sentence: 'It shows the very item, as a seller would photograph it.', isDoubtful: false },
  stock_photo: { sentence: 'It is a product picture: it does not show the item that is sold.', isDoubtful: true },
  unclear: { sentence: 'Whether it shows the very item is unclear.', isDoubtful: false },
}

/** Reads a stored analysis; undefined if there is none, and no opinions if the model gave no answer that can be read. */
export const opinionsOf = (
  json: string | null | undefined,
): { opinions: PhotoOpinion[]; confidence: string | undefined } | undefined => {
  if (!json) return undefined
  let analysis: Analysis
  try {
    analysis = JSON.parse(json) as Analysis
  } catch {
    return { opinions: [], confidence: undefined }
  }
  const origin =
    typeof analysis.authenticity_signal === 'string'
      ? origins[analysis.authenticity_signal]
      : analysis.is_stock_photo === true
        ? origins.stock_photo
        : undefined
  const damage =
    typeof analysis.visible_damage === 'boolean'
      ? [
          analysis.visible_damage
            ? { sentence: 'Damage is visible.', isDoubtful: true }
            : { sentence: 'No damage is visible.', isDoubtful: false },
        ]
      : []
  return {
    opinions: [...(origin ? [origin] : []), ...damage],
    confidence: typeof analysis.confidence === 'string' ? analysis.confidence : undefined,
  }
}
