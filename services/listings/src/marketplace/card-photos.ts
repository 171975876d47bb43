import { webAddress } from '@trellis/kit/egress'
import { type Element, elementsIn, parseMarkup } from './dom.ts'
import { placeholderPhotos } from './layouts.ts'

const photoSources = ['data-defer-load', 'data-src', 'data-original', 'src'] as const

/** Size in an image's URL ("s-l500"), used to choose the larger of a preview and its deferred original. */
const sizeIn = (address: string): number => Number(/s-l(\d+)/.exec(address)?.[1] ?? 0)

const readSources = (images: readonly Element[], pageUrl: string): readonly string[] => {
  const best = images.flatMap(({ attribs }) => {
    const sources = photoSources
      .flatMap((name) => attribs[name] ?? [])
      .filter((source) => !source.startsWith('data:') && source !== '' && !placeholderPhotos.test(source))
    return sources.sort((a, b) => sizeIn(b) - sizeIn(a)).slice(0, 1)
  })
  return [...new Set(best.flatMap((source) => webAddress(source, pageUrl) ?? []))]
}

/** The largest candidate of a srcset: "a.webp 140w, b.webp 500w", "a.webp 1x, b.webp 2x". */
const largestIn = (srcset: string): string | undefined => {
  const candidates = srcset.split(/,\s/).map((candidate) => {
    const [address = '', size = '1x'] = candidate.trim().split(/\s+/)
    return { address: address.replace(/,$/, ''), size: Number.parseFloat(size) }
  })
  return candidates.sort((one, other) => other.size - one.size)[0]?.address || undefined
}

/** The first photo that a srcset names. The markup is parsed again, since most cards need none. */
const readPhotoSets = (html: string, pageUrl: string): readonly string[] =>
  elementsIn(parseMarkup(html))
    .filter(({ name }) => name === 'img' || name === 'source')
    .flatMap(({ attribs }) => [attribs['data-srcset'], attribs.srcset])
    .flatMap((srcset) => largestIn(srcset ?? '') ?? [])
    .filter((source) => !source.startsWith('data:') && !placeholderPhotos.test(source))
    .slice(0, 1)
    .flatMap((source) => webAddress(source, pageUrl) ?? [])

/**
 * The photos of a card, from the attributes of its images. If none has a known size, a srcset takes precedence: browsers show what it names, whatever
 * stands in `src` until that is loaded.
 */
export const readPhotos = (html: string, images: readonly Element[], pageUrl: string): readonly string[] => {
  const photos = readSources(images, pageUrl)
  if (!html.includes('srcset') || photos.some((address) => sizeIn(address) > 0)) return photos
  const fromSets = readPhotoSets(html, pageUrl)
  return fromSets.length > 0 ? fromSets : photos
}
