import { databases } from '@trellis/test/support/databases'
import { describe, expect, test } from 'vitest'
import { useEmptyTables } from '../../test/empty-tables.ts'
import { deleteFinds, type ListingRow, storeListings } from '../found/store.ts'
import { createRandom } from '../marketplace/demo/random.ts'
import type { Listing } from '../records.ts'
import { distanceBetween, maxDistance } from './hamming.ts'
import { findHashedPhotos, findPhotoMatches, findSimilar, recordPhotoHash } from './store.ts'

const now = new Date('2026-06-15T12:00:00Z')
const listing = (id: number, sellerPlatformId: string): Listing => ({
  platform: 'marketplace',
  platformListingId: `${130000000000 + id}`,
  title: `Camera ${id}`,
  price: 10,
  priceHigh: null,
  currency: 'USD',
  condition: '',
  sellerPlatformId,
  url: 'https://site.test/itm/1',
  photoUrls: [`https://images.test/${id}.jpg`],
  listingAgeDays: 0,
  buyingFormat: 'fixed_price',
  endsAt: null,
  bidCount: null,
  categoryName: null,
})

describe.each(databases)('photo hashes on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('of a user', () => {
    const tables = useEmptyTables(start)

    const found = async (sellers: readonly string[], userId = 'ada'): Promise<readonly ListingRow[]> =>
      storeListings(
        tables.db,
        { id: userId, userId },
        sellers.map((seller, id) => listing(id, seller)),
        now,
      )
    const record = (row: ListingRow | undefined, hash: string | null, photoUrl = 'https://images.test/1.jpg') => {
      if (row === undefined) throw new Error('There is no such listing.')
      return recordPhotoHash(tables.db, { listing: row, photoUrl, hash, now })
    }
    const matches = async (rows: readonly ListingRow[]) => {
      const known = await findPhotoMatches(
        tables.db,
        rows.map(({ id }) => id),
      )
      return rows.map(({ id }) => known.get(id)?.title)
    }

    test('are found within 8 bits exactly as a comparison with every hash finds them', async () => {
      const random = createRandom(11)
      const hashes = Array.from({ length: 40 }, () => {
        const words = Array.from({ length: 4 }, () => random.between(0, 0xffff).toString(16).padStart(4, '0'))
        return words.join('')
      }).flatMap((base) =>
        [0, 3, 6, 8, 9, 12].map((count) => {
          const flipped = new Set<number>()
          while (flipped.size < count) flipped.add(random.between(0, 63))
          const value = [...flipped].reduce((bits, bit) => bits ^ (1n << BigInt(bit)), BigInt(`0x${base}`))
          return value.toString(16).padStart(16, '0')
        }),
      )
      const rows = await found(hashes.map((_, index) => `seller-${index}`))
      for (const [index, row] of rows.entries()) await record(row, hashes[index] ?? '')
      for (const hash of hashes.slice(0, 60)) {
        const expected = rows.flatMap(({ id }, index) =>
          distanceBetween(hash, hashes[index] ?? '') <= maxDistance ? [id] : [],
        )
        const similar = await findSimilar(tables.db, 'ada', hash)
        expect(similar.map(({ listingId }) => listingId).toSorted((a, b) => a - b)).toEqual(expected)
        expect(similar.map(({ distance }) => distance)).toEqual(
          similar.map(({ distance }) => distance).toSorted((a, b) => a - b),
        )
      }
    })

    test('pair listings of two sellers, and no others', async () => {
      const rows = await found(['ada', 'bob', 'ada', 'cyd', ''])
      expect(await record(rows[0], 'ffff0000ffff0000')).toEqual([])
      expect(await record(rows[2], 'ffff0000ffff0000')).toEqual([])
      expect(await record(rows[4], 'ffff0000ffff0000')).toEqual([])
      expect(await record(rows[3], '0000ffff0000ffff')).toEqual([])
      expect(await matches(rows)).toEqual([undefined, undefined, undefined, undefined, undefined])
      expect(await record(rows[1], 'ffff0000ffff0007')).toEqual([rows[1]?.id, rows[0]?.id])
      expect(await matches(rows)).toEqual(['Camera 1', 'Camera 0', undefined, undefined, undefined])
      const [first] = (await findPhotoMatches(tables.db, [rows[0]?.id ?? 0])).values()
      expect(first).toEqual({
        platformListingId: '130000000001',
        title: 'Camera 1',
        distance: 3,
        seenAt: now.toISOString(),
      })
    })

    test('of another user are not compared', async () => {
      const [mine] = await found(['ada'])
      const [theirs] = await found(['bob'], 'eve')
      await record(mine, 'ffff0000ffff0000')
      expect(await record(theirs, 'ffff0000ffff0000')).toEqual([])
      expect(await matches([mine, theirs].flatMap((row) => row ?? []))).toEqual([undefined, undefined])
    })

    test('are replaced when the photo changes, which releases its duplicates or pairs them with another', async () => {
      const rows = await found(['ada', 'bob', 'cyd'])
      await record(rows[0], 'ffff0000ffff0000')
      await record(rows[1], 'ffff0000ffff0000')
      expect(await matches(rows)).toEqual(['Camera 1', 'Camera 0', undefined])
      expect(await record(rows[0], '0000ffff0000ffff', 'https://images.test/new.jpg')).toEqual([
        rows[1]?.id,
        rows[0]?.id,
      ])
      expect(await matches(rows)).toEqual([undefined, undefined, undefined])
      expect((await findHashedPhotos(tables.db, [rows[0]?.id ?? 0])).get(rows[0]?.id ?? 0)).toBe(
        'https://images.test/new.jpg',
      )
      await record(rows[2], 'ffff0000ffff0000')
      expect(await matches(rows)).toEqual([undefined, 'Camera 2', 'Camera 1'])
    })

    test('without features match nothing, but count as compared', async () => {
      const rows = await found(['ada', 'bob'])
      await record(rows[0], null)
      await record(rows[1], null)
      expect(await matches(rows)).toEqual([undefined, undefined])
      expect(
        (
          await findHashedPhotos(
            tables.db,
            rows.map(({ id }) => id),
          )
        ).size,
      ).toBe(2)
    })

    test('do not match once both listings belong to one seller', async () => {
      const rows = await found(['ada', 'bob'])
      await record(rows[0], 'ffff0000ffff0000')
      await record(rows[1], 'ffff0000ffff0000')
      await found(['ada', 'ada'])
      expect(await matches(rows)).toEqual([undefined, undefined])
    })

    test('are deleted with the listings of their user', async () => {
      const rows = await found(['ada', 'bob'])
      await record(rows[0], 'ffff0000ffff0000')
      await deleteFinds(tables.db, 'ada')
      expect(
        (
          await findHashedPhotos(
            tables.db,
            rows.map(({ id }) => id),
          )
        ).size,
      ).toBe(0)
    })
  })
})
