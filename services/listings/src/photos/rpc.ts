import { serviceError } from '@trellis/kit/errors'
import { byteFrames, type Handlers } from '@trellis/kit/rpc'
import type { PhotosServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/photos.ts'
import type { Dependencies } from '../dependencies.ts'
import { findListing, listingOf } from '../found/store.ts'
import { unknownListing } from '../found/unknown-listing.ts'
import { hasStore } from '../session/access.ts'
import type { PhotoSource } from './photo-source.ts'

/** Photos do not change under their URL, and belong to one user's finds. */
const cacheControl = 'private, max-age=86400'

type RpcDependencies = Pick<Dependencies, 'config' | 'db' | 'signal'>

/** The handlers of photos. */
export const photosRpc = (
  { config, db, signal: ending }: RpcDependencies,
  source: PhotoSource,
): Handlers<typeof PhotosServiceDefinition> => ({
  async *getPhoto({ platformListingId, n, range }, { caller, head, signal }) {
    const row = hasStore(caller) ? await findListing(db, caller.userId, config.platform, platformListingId) : undefined
    if (row === undefined) throw unknownListing(platformListingId, caller)
    const { photoUrls } = listingOf(row)
    const address = photoUrls[n]
    if (address === undefined)
      throw serviceError(
        'not_found',
        photoUrls.length === 0
          ? `The listing "${platformListingId}" has no photos.`
          : `The photos of the listing "${platformListingId}" are numbered from 0 to ${photoUrls.length - 1}; there is no ${n}.`,
      )
    const { body, mediaType, etag } = await source.get(address, AbortSignal.any([signal, ending]))
    head.header('cache-control', cacheControl)
    const read = async function* ({ start, end }: { start: number; end: number }) {
      yield body.subarray(start, end)
    }
    yield* byteFrames({ mediaType, size: body.length, etag, read }, range)
  },
})
