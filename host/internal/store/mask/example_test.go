package mask_test

import (
	"fmt"

	"github.com/callgate/callgate/host/internal/store/mask"
)

func ExampleMasker_Text() {
	m := mask.New([]byte("32 random bytes of the store"))
	fmt.Println(m.Text("TOKEN=hunter2 npm publish"))
	fmt.Println(m.Text("TOKEN=$(rm -rf ~) npm publish"))
	// Output:
	// TOKEN=[masked:0a5d8be3] npm publish
	// TOKEN=$(rm -rf ~) npm publish
}

func ExampleMasker_JSON() {
	m := mask.New([]byte("32 random bytes of the store"))
	fmt.Printf("%s\n", m.JSON([]byte(`{"user": "ann", "password": "hunter2"}`)))
	// Output: {"user": "ann", "password": "[masked:0a5d8be3]"}
}
