export { browserSettings, type ListingsConfig, listingsConfig } from './config.ts'
export { searchWorker } from './search/worker/kind.ts'
export { createListingsService, type ListingsService, type ListingsServiceOptions } from './service.ts'
export { listingsSchema } from './store/migrations.ts'
