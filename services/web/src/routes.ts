import type { Page, Service } from './app/page.ts'
import { listingsPages } from './listings/routes.ts'
import { logsPages } from './logs/routes.ts'
import { musicPages } from './music/routes.ts'

export const home: Page = { path: '/home', title: 'Home', load: () => import('./home/Page.svelte') }

/** The services with their pages; one without pages is not in the navigation. */
export const services: readonly Service[] = [
  { name: 'Listings', path: '/listings', icon: 'listings' as const, key: 'l', pages: listingsPages },
  { name: 'Logs', path: '/logs', icon: 'logs' as const, key: 'o', pages: logsPages },
  { name: 'Music', path: '/music', icon: 'music' as const, key: 'm', pages: musicPages },
].filter(({ pages }) => pages.length > 0)

export const pages: readonly Page[] = [home, ...services.flatMap((service) => service.pages)]
