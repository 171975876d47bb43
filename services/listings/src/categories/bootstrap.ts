import { families } from '../marketplace/demo/catalogue.ts'
import type { Category } from './store.ts'

const computers = 'Computers/Tablets & Networking'
const parts = 'Computer Components & Parts'

/** Common categories beside those of the demo, by the marketplace's ids. */
const common: readonly (readonly [id: string, ...path: string[]])[] = [
  ['179', computers, 'Desktops & All-In-Ones', 'PC Desktops & All-In-Ones'],
  ['111418', computers, 'Desktops & All-In-Ones', 'Apple Desktops & All-In-Ones'],
  ['164', computers, parts, 'CPUs/Processors'],
  ['1244', computers, parts, 'Motherboards'],
  ['170083', computers, parts, 'Memory (RAM)'],
  ['175669', computers, 'Drives, Storage & Blank Media', 'Solid State Drives'],
  ['56083', computers, 'Drives, Storage & Blank Media', 'Internal Hard Disk Drives'],
  ['80053', computers, 'Monitors, Projectors & Accessories', 'Monitors'],
  ['11211', computers, 'Enterprise Networking, Servers', 'Computer Servers'],
  ['51268', computers, 'Enterprise Networking, Servers', 'Network Switches'],
  ['178893', 'Cell Phones & Accessories', 'Smart Watches'],
  ['139973', 'Video Games & Consoles', 'Video Games'],
  ['54968', 'Video Games & Consoles', 'Video Game Accessories', 'Controllers & Attachments'],
  ['11071', 'Consumer Electronics', 'TV, Video & Home Audio', 'TVs'],
]

/** Categories for installations without credentials for the marketplace's API: those of the demo, and common ones. */
export const bootstrapCategories: readonly Category[] = [
  ...families.map(({ category: { id, path } }) => [id, ...path] as const),
  ...common,
].map(([category_id, ...path]) => ({
  category_id,
  name: path.at(-1) ?? category_id,
  full_path: path.join(' > '),
  isLeaf: true,
}))
