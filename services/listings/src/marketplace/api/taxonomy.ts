import { marketplaceFailure } from '../failures.ts'
import type { ApiCall } from './call.ts'
import { createTokenSource } from './token.ts'

/** A category without categories below it. `path` has the names from the root to the category itself. */
export type LeafCategory = { readonly id: string; readonly path: readonly string[] }

export type TaxonomyOptions = {
  readonly call: ApiCall
  /** Base URL of the API, without a trailing slash. */
  readonly apiUrl: string
  readonly credentials: { readonly id: string; readonly secret: string }
  /** The site as the API names it; undefined means the API's default. */
  readonly marketplaceId: string | undefined
  readonly now: () => Date
}

/** The site whose tree is read where none is configured: the API's own default. */
const defaultMarketplace = 'EBAY_US'
/** Maximum depth of the tree, categories, and characters of a name; the real tree has six levels and some 17,000 leaves. */
const limits = { depth: 12, categories: 50_000, name: 200 } as const

type Json = Readonly<Record<string, unknown>>
const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

/** The leaves of a category tree. Categories without an id or a name are left out, together with those below them. */
export const leavesOf = (tree: Json): readonly LeafCategory[] => {
  const found = new Map<string, LeafCategory>()
  const visit = (value: unknown, parents: readonly string[]): void => {
    if (parents.length > limits.depth || found.size >= limits.categories) return
    const { category, childCategoryTreeNodes: children } = object(value)
    const { categoryId: id, categoryName: name } = object(category)
    if (typeof id !== 'string' || !/^[\w-]{1,40}$/.test(id) || typeof name !== 'string' || name.trim() === '') return
    const path = [...parents, name.trim().slice(0, limits.name)]
    if (Array.isArray(children) && children.length > 0) for (const child of children) visit(child, path)
    else found.set(id, { id, path })
  }
  const roots = object(tree.rootCategoryNode).childCategoryTreeNodes
  for (const root of Array.isArray(roots) ? roots : []) visit(root, [])
  return [...found.values()]
}

/** Reads the leaf categories of the configured site. Throws a marketplace failure, also for a tree without categories. */
export const readCategories = async (
  { call, apiUrl, credentials, marketplaceId = defaultMarketplace, now }: TaxonomyOptions,
  signal: AbortSignal,
): Promise<readonly LeafCategory[]> => {
  const { id: clientId, secret: clientSecret } = credentials
  const { tokenFor } = createTokenSource({ call, apiUrl, clientId, clientSecret, now: () => now().getTime() })
  const token = await tokenFor(`${new URL(apiUrl).origin}/oauth/api_scope`, signal)
  const request = { headers: { authorization: `Bearer ${token}` }, signal }
  const base = `${apiUrl}/commerce/taxonomy/v1`
  const site = encodeURIComponent(marketplaceId)
  const { categoryTreeId } = await call(`${base}/get_default_category_tree_id?marketplace_id=${site}`, request)
  if (typeof categoryTreeId !== 'string' || !/^\w{1,20}$/.test(categoryTreeId))
    throw marketplaceFailure('failed', 'its API named no category tree')
  const leaves = leavesOf(await call(`${base}/category_tree/${categoryTreeId}`, request))
  if (leaves.length === 0) throw marketplaceFailure('failed', 'the category tree of its API has no categories')
  return leaves
}
