import type { Page } from 'playwright-core'
import type { Seeded } from './seed.ts'

/** A page to show: where it is, what to do there first, whether it is also shown on a phone, and whether tests compare it with a reference. */
export type View = {
  name: string
  path: (seeded: Seeded) => string
  prepare?: (page: Page) => Promise<unknown>
  narrow?: boolean
  isCompared?: boolean
}

const search = '/listings?q=canon+camera'
const allFinal = async (page: Page): Promise<void> => {
  await page.getByText('all scores final').or(page.getByText('with unknown signals')).waitFor()
  await page.getByText('searching …').or(page.getByText('looking up sellers …')).waitFor({ state: 'detached' })
  // By how much a score has changed is shown for some seconds.
  await page.locator('.delta').first().waitFor({ state: 'detached' })
}

const openPalette = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('option').first().waitFor()
}

export const views: readonly View[] = [
  { name: 'home', path: () => '/home', narrow: true, isCompared: true },
  { name: 'palette', path: () => '/home', prepare: openPalette, isCompared: true },
  {
    name: 'listings',
    path: () => search,
    narrow: true,
    prepare: allFinal,
    isCompared: true,
  },
  { name: 'listings-table', path: () => `${search}&view=table&sort=price`, prepare: allFinal, isCompared: true },
  {
    name: 'listings-item',
    path: ({ listings: [id] }) => `/listings/item/${id}`,
    prepare: (page) => page.getByRole('table', { name: 'How the score adds up' }).waitFor(),
    narrow: true,
    isCompared: true,
  },
  {
    name: 'listings-compare',
    path: ({ listings }) => `/listings/compare?ids=${listings.join(',')}`,
    prepare: (page) => page.getByRole('table', { name: 'Comparison' }).waitFor(),
    isCompared: true,
  },
  { name: 'listings-saved', path: () => '/listings/saved', isCompared: true },
  { name: 'listings-alerts', path: () => '/listings/alerts', isCompared: true },
  { name: 'listings-blocklist', path: () => '/listings/blocklist', isCompared: true },
  { name: 'listings-settings', path: () => '/listings/settings', isCompared: true },
  { name: 'logs', path: () => '/logs?since=-1h', narrow: true, isCompared: true },
  {
    name: 'logs-entry',
    path: () => '/logs?q=refused&since=-1h',
    prepare: async (page) => {
      await page.getByRole('grid', { name: 'Log lines' }).getByRole('row').nth(2).click()
      await page.getByRole('region', { name: 'Text of the entry' }).waitFor()
    },
    isCompared: true,
  },
  {
    name: 'logs-templates-tab',
    path: () => '/logs?tab=templates&since=-1h',
    prepare: (page) => page.getByRole('list', { name: 'Templates' }).waitFor(),
    isCompared: true,
  },
  {
    name: 'logs-live',
    path: () => '/logs?live=1',
    prepare: (page) => page.getByRole('status').filter({ hasText: 'Following' }).waitFor(),
  },
  {
    name: 'logs-diagnose',
    path: () => '/logs/diagnose?q=connection+refused',
    prepare: (page) => page.getByRole('button', { name: 'Make an incident of this' }).waitFor(),
    narrow: true,
    isCompared: true,
  },
  { name: 'logs-overview', path: () => '/logs/overview', isCompared: true },
  { name: 'logs-incidents', path: () => '/logs/incidents', isCompared: true },
  { name: 'logs-incident', path: ({ incident }) => `/logs/incidents/${incident}`, isCompared: true },
  { name: 'logs-detections', path: () => '/logs/detections', isCompared: true },
  { name: 'logs-templates', path: () => '/logs/templates' },
  { name: 'logs-template', path: ({ template }) => `/logs/templates/${template}` },
  { name: 'logs-patterns', path: () => '/logs/templates?tab=patterns' },
  { name: 'logs-formats', path: () => '/logs/templates?tab=formats' },
  { name: 'logs-bundles', path: () => '/logs/bundles' },
  { name: 'logs-sources', path: () => '/logs/sources', isCompared: true },
  { name: 'logs-setup', path: () => '/logs/setup', isCompared: true },
  { name: 'logs-context', path: () => '/logs/context?tab=facts' },
  { name: 'logs-wizard', path: () => '/logs/context?tab=wizard' },
  { name: 'logs-branches', path: () => '/logs/branches' },
  { name: 'logs-ssh-targets', path: () => '/logs/ssh-targets' },
  { name: 'logs-blocklist', path: () => '/logs/blocklist' },
  { name: 'logs-settings', path: () => '/logs/settings', isCompared: true },
  { name: 'music', path: () => '/music', isCompared: true },
  {
    name: 'music-studio',
    path: ({ chain }) => `/music/chains/${chain}`,
    prepare: (page) => page.getByText(/the upload and 2 committed takes/).waitFor(),
    narrow: true,
    isCompared: true,
  },
  { name: 'music-capacity', path: () => '/music/capacity', isCompared: true },
]
