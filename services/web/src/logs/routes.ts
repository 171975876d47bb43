import type { Page } from '../app/page.ts'

/** Pages of the log service, a line each. */
export const logsPages: readonly Page[] = [
  { path: '/logs', title: 'Search', load: () => import('./search/Page.svelte'), menu: true },
  { path: '/logs/diagnose', title: 'Diagnose', load: () => import('./diagnose/Page.svelte'), menu: true },
  { path: '/logs/overview', title: 'Overview', load: () => import('./overview/Page.svelte'), menu: true },
  { path: '/logs/incidents', title: 'Incidents', load: () => import('./incidents/Page.svelte'), menu: true },
  { path: '/logs/incidents/:id', title: 'Incident', load: () => import('./incidents/detail/Page.svelte') },
  { path: '/logs/sources', title: 'Sources', load: () => import('./sources/Page.svelte'), menu: true },
  { path: '/logs/setup', title: 'Setup', load: () => import('./setup/Page.svelte'), menu: true },
  { path: '/logs/templates', title: 'Templates', load: () => import('./templates/Page.svelte'), menu: true },
  { path: '/logs/templates/:id', title: 'Template', load: () => import('./templates/detail/Page.svelte') },
  { path: '/logs/detections', title: 'Detections', load: () => import('./detections/Page.svelte'), menu: true },
  { path: '/logs/branches', title: 'Branches', load: () => import('./branches/Page.svelte'), menu: true },
  { path: '/logs/context', title: 'Context', load: () => import('./context/Page.svelte'), menu: true },
  { path: '/logs/ssh-targets', title: 'SSH targets', load: () => import('./ssh-targets/Page.svelte'), menu: true },
  { path: '/logs/bundles', title: 'Bundles', load: () => import('./bundles/Page.svelte'), menu: true },
  { path: '/logs/blocklist', title: 'Blocklist', load: () => import('./blocklist/Page.svelte'), menu: true },
  { path: '/logs/settings', title: 'Settings', load: () => import('./settings/Page.svelte'), menu: true },
]
