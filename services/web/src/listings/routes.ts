import type { Page } from '../app/page.ts'

/** Pages of the listings service, a line each. */
export const listingsPages: readonly Page[] = [
  { path: '/listings', title: 'Search', load: () => import('./search/Page.svelte'), menu: true },
  { path: '/listings/item/:id', title: 'Listing', load: () => import('./item/Page.svelte') },
  { path: '/listings/compare', title: 'Compare', load: () => import('./compare/Page.svelte') },
  { path: '/listings/saved', title: 'Saved', load: () => import('./saved/Page.svelte'), menu: true },
  {
    path: '/listings/alerts',
    title: 'Alerts',
    load: () => import('./alerts/Page.svelte'),
    menu: true,
    count: () => import('./alerts/UnreadCount.svelte'),
  },
  { path: '/listings/blocklist', title: 'Blocklist', load: () => import('./blocklist/Page.svelte'), menu: true },
  { path: '/listings/settings', title: 'Settings', load: () => import('./settings/Page.svelte'), menu: true },
]
