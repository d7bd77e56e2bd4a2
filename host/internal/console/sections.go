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
	{"/activity", "Activity", "M2 10h4l2.5-6 3.5 12 2.5-6H18"},
}
