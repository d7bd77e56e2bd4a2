package console

// section is one page of the navigation.
type section struct {
	Path, Name string
	// Icon is the path of a drawing of 20 by 20 units, in lines.
	Icon string
}

// sections are the pages of the navigation, in its order.
var sections = []section{
	{"/", "Waiting", "M10 5v5l3 2M10 2.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15"},
	{"/trends", "Trends", "M3 17h14M5 17v-5M10 17V4M15 17V9"},
	{"/activity", "Activity", "M2 10h4l2.5-6 3.5 12 2.5-6H18"},
	{"/rules", "Rules", "M3 5h14M3 10h14M3 15h9"},
	{"/tools", "Tools", "M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z"},
	{"/agents", "Agents", "M5 7h10v8H5zM10 7V4M8 11h.01M12 11h.01M3 10v2M17 10v2"},
	{"/health", "Health", "M10 17s-7-4.4-7-9a4 4 0 0 1 7-2.6A4 4 0 0 1 17 8c0 4.6-7 9-7 9"},
	{"/passkeys", "Keys", "M7 12a4 4 0 1 1 3.5-6H18v4h-2v2h-3v-2h-2.5A4 4 0 0 1 7 12"},
}
