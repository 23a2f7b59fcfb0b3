package policy

// aggregateFunctions are the built-in aggregates, ordered-set and
// hypothetical-set ones included.
func aggregateFunctions() string {
	return `
any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp every
json_agg json_object_agg jsonb_agg jsonb_object_agg json_agg_strict json_object_agg_strict
json_object_agg_unique json_object_agg_unique_strict jsonb_agg_strict jsonb_object_agg_strict
jsonb_object_agg_unique jsonb_object_agg_unique_strict max min mode percentile_cont percentile_disc
range_agg range_intersect_agg regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance
rank dense_rank percent_rank cume_dist`
}

// windowFunctions are those that are only window functions.
func windowFunctions() string {
	return `row_number ntile lag lead first_value last_value nth_value`
}
