import type { Handlers } from '@trellis/kit/rpc'
import type { CategoriesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/categories.ts'
import type { Dependencies } from '../dependencies.ts'
import { findCategoryList, listCategories } from './store.ts'

/** The handlers of the categories. */
export const categoriesRpc = ({
  config,
  db,
}: Pick<Dependencies, 'config' | 'db'>): Handlers<typeof CategoriesServiceDefinition> => ({
  listCategories: async () => {
    const rows = await listCategories(db, config.platform)
    const list = await findCategoryList(db, config.platform)
    return {
      categories: rows.map(({ category_id, name, full_path, is_leaf }) => ({
        categoryId: category_id,
        name,
        fullPath: full_path,
        isLeaf: is_leaf === 1,
      })),
      refreshedAt: list?.refreshed_at ?? null,
    }
  },
})
