import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Kinds of requests to a marketplace: listings, completed sales, a page about a seller, or a photo. */
export type Kind = 'search' | 'sales' | 'seller' | 'photo'

const sellers = ['ada', 'bob', 'eve']

const card = (index: number, price: string, withPhotos: boolean) =>
  `<li class="s-card" data-listingid="${130000000001 + index}"><a class="s-card__link" href="/itm/${130000000001 + index}"><div class="s-card__title"><span>Camera ${index}</span></div></a>${withPhotos ? `<img class="s-card__image" src="/photos/${index}.png">` : ''}<span class="s-card__price">${price}</span><div class="su-card-container__attributes__secondary"><div class="s-card__attribute-row"><span>${sellers[index % sellers.length]} 99.5% positive (1.2K)</span></div></div></li>`

const page = (count: number, price: string, withPhotos: boolean) =>
  `<h1 class="srp-controls__count-heading">${count} results</h1><ul class="srp-results">${Array.from({ length: count }, (_, index) => card(index, price, withPhotos)).join('')}</ul>`

const product = { '@context': 'https://schema.org', '@type': 'Product', name: 'Camera' }
const itemPage = (seller: string | undefined) =>
  `<script type="application/ld+json">${JSON.stringify(product)}</script><main><div class="x-sellercard-atf__info__about-seller"><a href="/sch/${seller}/m.html">${seller}</a></div><div class="x-store-information__info"><span class="ux-textspans">Joined Mar 2015</span></div></main>`

/** The seller of the listing whose page is requested. */
const sellerOf = ({ pathname }: URL) => sellers[(Number(pathname.split('/').at(-1)) - 130000000001) % sellers.length]

const kindOf = ({ pathname, searchParams }: URL): Kind =>
  pathname.startsWith('/photos/')
    ? 'photo'
    : searchParams.has('LH_Sold')
      ? 'sales'
      : pathname.includes('/sch') && searchParams.has('_nkw')
        ? 'search'
        : 'seller'

/**
 * A marketplace on loopback that delays its responses to one kind of request until `release` is called. It has `count`
 * listings of three sellers, who joined in March 2015, all at the current `price`, photos only on request, and no completed sales.
 */
export const openHeldSite = async (
  held: Kind | undefined,
  {
    count = 3,
    price = () => '$100.00',
    withPhotos = false,
  }: { count?: number; price?: () => string; withPhotos?: boolean } = {},
) => {
  const requested: Kind[] = []
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const respond = async (address: URL, response: ServerResponse) => {
    const kind = kindOf(address)
    requested.push(kind)
    if (kind === held) {
      reached.resolve()
      await released.promise
    }
    response.end(
      address.pathname.startsWith('/itm/')
        ? itemPage(sellerOf(address))
        : page(kind === 'search' ? count : 0, price(), withPhotos),
    )
  }
  const server = createServer((incoming, response) => {
    const address = new URL(incoming.url ?? '/', 'http://site.test')
    if (address.pathname === '/robots.txt') response.writeHead(404).end()
    else void respond(address, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    /** Configures the service and its workers for this site. */
    environment: { MARKETPLACE_BASE_URL: `http://127.0.0.1:${port}`, MARKETPLACE_REQUEST_GAP_MS: '0' },
    /** Resolves when the first delayed request has arrived. */
    reached: reached.promise,
    release: () => released.resolve(),
    requestedFor: (kind: Kind) => requested.filter((each) => each === kind).length,
    close: async () => {
      released.resolve()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
